import type { Playbook } from '../../playbook/language/playbook.ts'
import type { Problems } from '../../playbook/language/problem.ts'
import type { SourceText } from '../../playbook/language/source-text.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { NamedStep } from './named-steps.ts'
import type { PlacedStep } from './placed-steps.ts'
import type { CalledByName } from './playbook-test.ts'

/** What the reading of one file of tests shares. */
export interface Context {
  readonly source: SourceText
  readonly problems: Problems
  readonly catalogue: Catalogue
  readonly playbook: Playbook
  readonly steps: readonly PlacedStep[]
  /** Those of called playbooks too. */
  readonly named: readonly NamedStep[]
  /** Those that it calls, also by way of others. */
  readonly called: CalledByName
}
