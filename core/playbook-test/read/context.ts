import type { Playbook } from '../../playbook/language/playbook.ts'
import type { Problems } from '../../playbook/language/problem.ts'
import type { SourceText } from '../../playbook/language/source-text.ts'
import type { Catalogue } from '../../registry/catalogue.ts'
import type { NamedStep } from './named-steps.ts'
import type { PlacedStep } from './placed-steps.ts'
import type { CalledByName } from './playbook-test.ts'

/** State shared while parsing a test file. */
export interface TestContext {
  readonly source: SourceText
  readonly problems: Problems
  readonly catalogue: Catalogue
  readonly playbook: Playbook
  readonly steps: readonly PlacedStep[]
  /** Includes the steps of called playbooks. */
  readonly named: readonly NamedStep[]
  /** The playbooks that it calls directly or indirectly. */
  readonly called: CalledByName
}
