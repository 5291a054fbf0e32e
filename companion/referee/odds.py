"""The referee's numbers: what it believes beforehand, and how sure it must be. All in one place.

Probabilities are of a turn as a whole; log-odds are natural logarithms.
"""

from math import log

# --- what a turn is, before anything was seen -------------------------------------------------------------------
LEGAL = 0.90
"""Most turns are one legal move; shared equally by the legal moves."""
ILLEGAL = 0.04
"""A sphere lifted and placed where it may not go; shared by all such displacements."""
ROLLED = 0.02
"""A sphere pushed to a neighbouring well."""
PUT_BACK = 0.03
"""A sphere lifted and set back."""
OWN_SPHERE = 10
"""So much likelier a wrong touch is one of the player's own spheres that can move than of any other."""
OTHER_HAND = 2
"""So much likelier the player to move is at fault than the other one, unless that could have been a move of theirs or
the arm is seen to come from their edge: an arm in two pictures weighs more than this."""
ARM_SEEN = 1.5
"""How clearly an arm must be seen to come from a player's edge (half the log-odds) before that player is accused:
more than what one rank of one picture tells."""
FIXED_SPHERE = 3
"""And so much likelier than one of their own that cannot move now, because it has just moved or is hemmed in."""
NUDGED = 0.02
"""A sphere set down and taken on to the next well in one grip; shared by the ways to do that."""
TWO_PLIES = 0.02
"""A move and a reply so quick that they arrive as one change; shared by the pairs."""
NOTHING = 1.0
"""Nothing happened: not in competition with a turn, only with the evidence for one."""

# --- what a witness's word weighs --------------------------------------------------------------------------------
CLEAREST_WELL = log(1e-3)
"""The most that one well of one picture can count against an explanation: pictures have errors of their own."""
MISSED_EVENT = log(1e-3)
"""A lift or placing that the load cells did not report. They miss about 1 in 1000 while healthy."""
EXTRA_EVENT = log(1e-3)
"""A lift or placing reported that the explanation has no place for."""
WORST_MATCH = log(1e-4)
"""The most that a wrong place or mass of one load event counts against an explanation."""
PLACE_SLACK_MM = 2.0
"""Spheres lie off centre in their wells and the half spacing is known to a few per cent; added to the event's own."""
ASTRAY, PICTURES_ASTRAY = 2, 2
"""So many wells that show something else besides, in so many pictures, are no error of reading ..."""
LONG_ASTRAY, ASTRAY_S = 6, 0.9
"""... and neither is one in so many or, where a broken rule is to be told, in all pictures of so long (s): about a
second, of video or of few pictures."""
FITS_PICTURES = -3.0
"""The best explanation must still be a good one: worse than this (log) under the newest picture it explains nothing."""
FITS_EXACTLY = MISSED_EVENT
"""And better than with one event missed or left over, where the load cells are the only witness."""
FITS_LOADS = 2.5 * MISSED_EVENT
"""And so with more than two load events missed or left over."""
HOPELESS = 25.0
"""Explanations that cannot come nearer to the best (log) than this are not looked at: a million weigh nothing."""
PLAUSIBLE = 12.0
"""Explanations this much less likely than the best (log) under the pictures alone are not looked at further."""

# --- how sure before saying so -----------------------------------------------------------------------------------
SURE_MOVE = 0.98
NEVER_SURE = 2.0
SURE_ILLEGAL = 0.985
SURE_PUT_BACK = 0.98
SURE_PUT_BACK_THEN = 0.97
"""That a sphere was set back before the move that was made."""
SURE_WHICH = 0.985
"""And which of two neighbouring spheres that was: where a hand hid both, what people mostly do is all that tells them
apart. At 0.97 one of about 150 such rulings was wrong."""
SURE_STEP = 0.9
"""Lift or remove at a crash: the crash itself is certain, only the name of its step is not."""
READ_WELL = 0.9
"""A well of a picture counts as agreeing when its expected content has at least this probability."""

# --- time, in seconds on the table's clock -----------------------------------------------------------------------
PICTURE_AFTER_CONTACT = 0.05
"""A picture younger than this after a placing may still show the sphere in the air."""
ROLL_KNOWN_AFTER = 0.3
"""The cells know of a roll so long after its end at the earliest: the board must be still again."""
CONTACT_BLUR = 0.3
"""Around a lift or placing a picture may show the board before or after it."""
CONTACT_ERROR = 0.1
"""How far off the time may be that the cells give for a contact."""
LOADS_LAG = 1.5
"""How long to wait for the load cells' word on a change that the camera shows already."""
UNPAIRED_WAIT = 1.5
"""How long to wait, all quiet, for the placing that belongs to a lift before doing without it. The cells know of a
step within 0.8 s in 19 of 20 cases (1.1 s at 10 samples a second); the opponent takes longer to think."""
ASK_BLIND_AFTER = 1.2
"""The same without a camera: nothing more is to be seen."""
ASK_AFTER = 4.0
"""A change that stays unexplained this long while all is quiet becomes a question."""
START_STANDS = 1.2
"""A start position in plain sight for so long stands, whatever the load cells make of the setting up."""
STEADY_PICTURES = 0.3
"""Without load cells two agreeing pictures at least this far apart are needed."""
HELD_AFTER = 1.0
"""A hand that presses on the board this long holds it; sphere handling presses for less."""
HOLDS_G = 25.0
"""A hand that rests on the board weighs more than this on the average (g): about half of the lightest."""
HELD_LOOKS, LOOKS = 2.0, 2
"""A camera is waited for so much longer (s), where pictures are few, until it has shown the hand, or in so many
pictures that there is none: which player is to move is no proof of whose hand it is."""
HELD_RELEASE = 0.8
"""A press must be gone this long before the next one is a new one."""
LIFT_TIPS_WITHIN = 0.7
"""A lift that tips the board does so within this time; later it is the placing."""
PLACE_TIPS_WITHIN = 1.2
"""A placing that tips the board does so within this time, while it rocks."""
FAULT_GRACE = 2.0
"""A fault of the load cells that is over within this time was a rough touch; one that lasts is a lost witness."""
RIGHT_AGAIN = 1.0
"""After an illegal move: the right position in plain sight for so long is right, whoever brought it about."""
FORGET_AFTER = 6.0
"""Steps that nothing explains are forgotten when the board has shown for so long that nothing has changed."""
MOVE_STANDS = 4.0
"""With the camera alone: a move that its player has let stand for so long was one. Who has broken a rule is told so by
the opponent, and puts it right within three seconds or so."""
CAPTURE_STANDS = 2.0
"""And a capture: the captured sphere is off the board."""
CAMERA_LOST_AFTER = 5.0
LOADS_LOST_AFTER = 1.0
LOOK_AGAIN = 0.5
"""While a sphere is in somebody's hand it is weighed so often (s) what that means: more often changes nothing."""
PICTURE_SPACING = 0.15
"""Pictures that come faster than this replace one another: what was seen in between is no news."""
KEEP_PICTURES = 48
"""Pictures kept for explaining a turn: 8 s of video, or the whole turn at about one a second."""
WEIGHT_FOLLOWS = 0.2
"""Weight of a new load state in the board's weight while nothing happens: over half a second at ten states a second."""
LATE_TOTALS = 6
"""So many load states, half a second of them, must all be light while a hand is there: a sphere is in its fingers."""
DIP_TOTALS, AVERAGED_S = 10, 1.2
"""The weight is averaged over so many load states, a second: even a roll sets a board rocking by more than a sphere."""
TOTALS_KEPT_S = 6.0
"""Loads of so long ago (s) are looked at once more when a turn is ruled late: the next may have begun meanwhile."""
DIP_SEEN_S = 4.0
"""Of a lift that is told late, so much of what went before it (s) must be known to say that nothing was lighter yet."""
STAYED_G, DIPPED_G = 4.0, 15.0
"""Never lighter than by the first, on that average, nothing was lifted off the board: a sphere that is carried to the
next well is in the air for a third of a second at least. Lighter by the second, a sphere was carried."""
ROCKS_G = 3.0
"""Totals of a board at rest differ by less than this: noise is a tenth of it, one that was touched rocks by more."""
LIFTED_G = 8.0
"""Lighter by so much at rest, a sphere is off the board: the lightest weigh more, noise and drift are a tenth of it."""
UNREAD_EVENT = log(0.2)
"""A lift or placing that was not reported as such, although the weight shows that a sphere had left the board."""
DROWNED_EVENT = log(0.5)
"""And one that was made while a hand bore on the board all the time."""
DROWNS_AFTER = 3.0
"""A roll or a step is over much sooner than this: who bears on the board for so long (s) does something else too."""
WATCHED_WITHIN = 2.0
"""A picture so long (s) before a lift, or less, shows what stood where; at one a second there always is one."""
THREE_TURNS_S = 4.0
"""While nobody looks for so long (s), or longer, three turns may be played."""
PICTURES_BEFORE, BEFORE_S = 3, 0.6
"""The best of so many pictures before a lift, all within so long (s), counts: a single one may be confused. Older ones
tell what stood there before somebody moved it."""
LIGHTER_G = (8.0, 33.0)
"""A board that is lighter than it should be by so much lacks a sphere: it is in somebody's hand."""
CLEAR_VIEW = 0.1
"""The board is in plain sight for so long between a placing and the next lift, if it can be seen what that changed."""
VERY_STILL_G, PRESS_KEPT = 0.8, 0.5
"""What lies on the board may waver by less than this (g) within so long (s); no hand is as still."""
VIDEO_SPACING = 0.35
"""Pictures as close as this tell what a hand does."""
HAND_STAYS = 3.0
"""So long after a placing (s) a hand near it may still be about to take the sphere on."""
HAND_LEAVES = 0.35
"""A hand that puts a thing on the board has moved on by then (s)."""
ROLLED_YET_LIGHTER = log(0.1)
"""A board may be lighter for a moment because a finger has set it rocking."""
LIFTED_YET_HEAVY = log(0.03)
"""A board that a sphere was carried over was lighter meanwhile, whether or not the lift itself was reported; a hand
that bears on it can hide that."""
ROLLED_YET_LIFTED = log(0.01)
"""A sphere that was only rolled keeps its weight on the board."""
KEEP_RESTS = 20
"""Load states at rest that are kept: two seconds, over which rocking averages out."""
BEFORE_TOUCH = 0.4
"""A hand is at the board so long before a lift tips it: older loads are those at rest."""

VEILED_OVER_S, VEILED_SHARE = 30.0, 0.3
"""A well that so large a share of the pictures of late did not show, while nobody touched the board, tells of no hand:
glare or deep shade hides it (s, share)."""
UNWEIGHED_S = 0.35
"""Without a load for so long a sphere may have been carried, and nobody felt it."""
