import { alertRoutes } from '../resources/alerts/alerts.ts'
import { approvalRuleRoutes } from '../resources/access/organizations/approval-rules.ts'
import { auditRoutes } from '../resources/system/audit.ts'
import { backtestRoutes } from '../resources/playbooks/backtests.ts'
import { caseRoutes } from '../resources/cases/cases.ts'
import { checkpointRoutes } from '../resources/checkpoints/checkpoints.ts'
import { connectionRoutes } from '../resources/connections/connections.ts'
import { containmentRoutes } from '../resources/containments/containments.ts'
import { engineRoutes } from '../resources/system/engine.ts'
import { nodeRoutes } from '../resources/system/nodes.ts'
import { metricsRoutes } from '../resources/system/metrics.ts'
import { eventRoutes } from '../resources/system/events.ts'
import { healthRoutes } from '../resources/system/health.ts'
import { draftRoutes } from '../resources/drafts/drafts.ts'
import { editorRoutes } from '../resources/playbooks/playbook-editor.ts'
import { keyRoutes } from '../resources/access/keys/keys.ts'
import { destructiveLimitRoutes } from '../resources/connections/destructive-limits.ts'
import { lookupRoutes } from '../resources/access/organizations/lookups.ts'
import { openApiRoutes } from '../resources/system/openapi.ts'
import { playbookSetRoutes } from '../resources/playbook-set/playbook-set.ts'
import { playbookRoutes } from '../resources/playbooks/playbooks.ts'
import { notificationRoutes } from '../resources/notifications/notifications.ts'
import { numberRoutes } from '../resources/numbers/numbers.ts'
import { observableRoutes } from '../resources/observables/observables.ts'
import { runRoutes } from '../resources/runs/runs.ts'
import { sharedFilterRoutes } from '../resources/access/organizations/shared-filters.ts'
import { peopleRoutes } from '../resources/access/people/people.ts'
import { accountRoutes } from '../resources/access/people/accounts.ts'
import { roleRoutes } from '../resources/access/people/roles.ts'
import { meRoutes } from '../resources/access/me/me.ts'
import { personSignInRoutes } from '../resources/access/sign-in/person-sign-in.ts'
import { myCredentialRoutes } from '../resources/access/me/my-credentials.ts'
import { passkeyRoutes } from '../resources/access/sign-in/passkeys.ts'
import { myKeyRoutes } from '../resources/access/me/my-keys.ts'
import { mySessionRoutes } from '../resources/access/me/my-sessions.ts'
import { sessionRoutes } from '../resources/access/sign-in/session.ts'
import { shadowRoutes } from '../resources/shadows/shadows.ts'
import { singleSignOnRoutes } from '../resources/access/sign-in/single-sign-on.ts'
import { skillRoutes } from '../resources/skills/skills.ts'
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
  ...draftRoutes,
  ...playbookSetRoutes,
  ...backtestRoutes,
  ...shadowRoutes,
  ...editorRoutes,
  ...skillRoutes,
  ...lookupRoutes,
  ...destructiveLimitRoutes,
  ...approvalRuleRoutes,
  ...keyRoutes,
  ...accountRoutes,
  ...notificationRoutes,
  ...peopleRoutes,
  ...sharedFilterRoutes,
  ...roleRoutes,
  ...meRoutes,
  ...myCredentialRoutes,
  ...passkeyRoutes,
  ...mySessionRoutes,
  ...myKeyRoutes,
  ...sessionRoutes,
  ...personSignInRoutes,
  ...singleSignOnRoutes,
  ...connectionRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...engineRoutes,
  ...nodeRoutes,
  ...eventRoutes,
  ...openApiRoutes,
  ...healthRoutes,
  ...metricsRoutes,
]

/** Operations of the listener for health and metrics. */
export const opsRoutes: readonly Route[] = [...healthRoutes, ...metricsRoutes]
