/** `850 ms`, `2.4 s`, `3 min 20 s`, `2 h 5 min`, `3 d 4 h`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`
  const [large, small, inLarge, inSmall] =
    ms < 3_600_000
      ? (['min', 's', 60_000, 1_000] as const)
      : ms < 86_400_000
        ? (['h', 'min', 3_600_000, 60_000] as const)
        : (['d', 'h', 86_400_000, 3_600_000] as const)
  const rest = Math.floor((ms % inLarge) / inSmall)
  return `${Math.floor(ms / inLarge)} ${large}${rest === 0 ? '' : ` ${rest} ${small}`}`
}
