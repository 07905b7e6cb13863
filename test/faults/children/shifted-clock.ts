/** Loaded with `--import`: the clock of the process is off by `TOCSIN_TEST_CLOCK_OFFSET` milliseconds. */
const offset = Number(process.env['TOCSIN_TEST_CLOCK_OFFSET'])
const { now } = Date

globalThis.Date = class extends Date {
  constructor(...given: readonly any[]) {
    // oxlint-disable-next-line typescript/no-unsafe-argument -- whatever Date takes
    super(...((given.length === 0 ? [now() + offset] : given) as [number]))
  }
  static override now(): number {
    return now() + offset
  }
} as DateConstructor
