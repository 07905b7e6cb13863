/** Somebody opened the page, or did something in it, and no request has said so yet. */
let isUnsaid = true

const acts = ['pointerdown', 'keydown', 'wheel'] as const

// What a script dispatches is nobody's doing.
for (const act of acts)
  addEventListener(act, ({ isTrusted }) => void (isUnsaid ||= isTrusted), { capture: true, passive: true })

/** Whether somebody did something since the last request: that one says so, and the session stays. */
export function takeActivity(): boolean {
  const isActive = isUnsaid
  isUnsaid = false
  return isActive
}

/** The request has not arrived: the next one says it. */
export function returnActivity(): void {
  isUnsaid = true
}
