"""The subcommands of `senryaku`, one module a group."""
