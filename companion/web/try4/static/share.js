// Copies a text to the clipboard, also where the browser allows no page without a certificate to do so.

/** Gives whether the text is on the clipboard; `area` is a text field that may be shown to copy from by hand. */
export async function copied(text, area) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // no secure context, or not allowed: the old way
  }
  area.hidden = false;
  area.value = text;
  area.focus();
  area.select();
  const done = document.execCommand("copy");
  area.hidden = done;
  return done;
}
