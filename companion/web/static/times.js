// Writes moments in the reader's own way and time zone.

for (const element of document.querySelectorAll("time[data-seconds]")) {
  const moment = new Date(Number(element.dataset.seconds) * 1000);
  if (Number.isNaN(moment.getTime())) continue;
  element.dateTime = moment.toISOString();
  element.textContent = moment.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
