/** The one way out to other systems. The only place that knows got. */
export { createEgress } from './egress.ts'
export type { ClosableEgress } from './egress.ts'
export { codeOf, unknownCodes, unknownCodeWarning, type PrivateEgress } from './allow-lists.ts'
