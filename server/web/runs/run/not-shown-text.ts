/** Undefined where all steps are shown. */
export function notShownText(shown: number, total: number): string | undefined {
  const hidden = total - shown
  if (hidden <= 0) return undefined
  const count = (number: number): string => number.toLocaleString('en')
  return `${count(hidden)} of ${count(total)} steps are not shown: this page has only the first and the newest. The events of the run list all steps.`
}
