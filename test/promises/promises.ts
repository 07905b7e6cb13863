import type { Promised } from './promised.ts'
import { failurePromises } from './subjects/failures.ts'
import { nodePromises } from './subjects/nodes.ts'
import { rulePromises } from './subjects/rules.ts'
import { runPromises } from './subjects/runs.ts'

/** All promises with the tests that check them. docs/promises.md is generated from this: their order gives the numbers in its links. */
export const promises: readonly Promised[] = [
  ...runPromises,
  ...failurePromises,
  ...rulePromises,
  ...nodePromises,
]
