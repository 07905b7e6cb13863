/** One way to call a function or macro. */
export type Row = readonly [signature: string, meaning: string, example: string]
