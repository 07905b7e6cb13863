interface Scrolled {
  /** Negative where texts run from right to left. */
  readonly scrollLeft: number
  readonly scrollWidth: number
  readonly clientWidth: number
}

/** Whether something is beyond the end of what is in sight; a fraction of a pixel is not. */
export const isMoreSideways = ({ scrollLeft, scrollWidth, clientWidth }: Scrolled): boolean =>
  scrollWidth - clientWidth - Math.abs(scrollLeft) > 1
