/** Watches something that speaks now and then. */
export interface SilenceWatch {
  /** It has spoken. */
  readonly heard: () => void
  readonly stop: () => void
}

/** Calls `onSilent` once nothing has been heard for `ms`, counted from the first `heard`. */
export function watchSilence(ms: number, onSilent: () => void): SilenceWatch {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    heard: () => {
      clearTimeout(timer)
      timer = setTimeout(onSilent, ms)
    },
    stop: () => clearTimeout(timer),
  }
}
