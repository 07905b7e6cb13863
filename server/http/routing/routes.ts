import { alertRoutes } from '../resources/alerts/alerts.ts'
import { approvalRuleRoutes } from '../resources/access/approval-rules.ts'
import { auditRoutes } from '../resources/system/audit.ts'
import { backtestRoutes } from '../resources/playbooks/backtests.ts'
import { caseRoutes } from '../resources/cases/cases.ts'
import { checkpointRoutes } from '../resources/checkpoints/checkpoints.ts'
import { connectionRoutes } from '../resources/connections/connections.ts'
import { containmentRoutes } from '../resources/containments/containments.ts'
import { engineRoutes } from '../resources/system/engine.ts'
import { metricsRoutes } from '../resources/system/metrics.ts'
import { eventRoutes } from '../resources/system/events.ts'
import { healthRoutes } from '../resources/system/health.ts'
import { editorRoutes } from '../resources/playbooks/playbook-editor.ts'
import { keyRoutes } from '../resources/access/keys.ts'
import { destructiveLimitRoutes } from '../resources/connections/destructive-limits.ts'
import { lookupRoutes } from '../resources/access/lookups.ts'
import { openApiRoutes } from '../resources/system/openapi.ts'
import { playbookRoutes } from '../resources/playbooks/playbooks.ts'
import { numberRoutes } from '../resources/numbers/numbers.ts'
import { observableRoutes } from '../resources/observables/observables.ts'
import { runRoutes } from '../resources/runs/runs.ts'
import { sharedFilterRoutes } from '../resources/access/shared-filters.ts'
import { peopleRoutes } from '../resources/access/people.ts'
import { accountRoutes } from '../resources/access/accounts.ts'
import { roleRoutes } from '../resources/access/roles.ts'
import { meRoutes } from '../resources/access/me.ts'
import { personSignInRoutes } from '../resources/access/person-sign-in.ts'
import { myCredentialRoutes } from '../resources/access/my-credentials.ts'
import { passkeyRoutes } from '../resources/access/passkeys.ts'
import { mySessionRoutes } from '../resources/access/my-sessions.ts'
import { sessionRoutes } from '../resources/access/session.ts'
import { shadowRoutes } from '../resources/shadows/shadows.ts'
import { singleSignOnRoutes } from '../resources/access/single-sign-on.ts'
import { skillRoutes } from '../resources/playbooks/skills.ts'
import { webhookRoutes } from '../resources/connections/webhooks.ts'
import type { Route } from './route.ts'

/**
 * Every operation of the API. Routing, access checks, validation, `Allow` and the API document follow from
 * this table.
 */
export const routes: readonly Route[] = [
  ...alertRoutes,
  ...caseRoutes,
  ...observableRoutes,
  ...numberRoutes,
  ...runRoutes,
  ...checkpointRoutes,
  ...containmentRoutes,
  ...playbookRoutes,
  ...backtestRoutes,
  ...shadowRoutes,
  ...editorRoutes,
  ...skillRoutes,
  ...lookupRoutes,
  ...destructiveLimitRoutes,
  ...approvalRuleRoutes,
  ...keyRoutes,
  ...accountRoutes,
  ...peopleRoutes,
  ...sharedFilterRoutes,
  ...roleRoutes,
  ...meRoutes,
  ...myCredentialRoutes,
  ...passkeyRoutes,
  ...mySessionRoutes,
  ...sessionRoutes,
  ...personSignInRoutes,
  ...singleSignOnRoutes,
  ...connectionRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...engineRoutes,
  ...eventRoutes,
  ...openApiRoutes,
  ...healthRoutes,
  ...metricsRoutes,
]

/** Operations of the listener for health and metrics. */
export const opsRoutes: readonly Route[] = [...healthRoutes, ...metricsRoutes]
