import { alertRoutes } from './resources/alerts.ts'
import { auditRoutes } from './resources/audit.ts'
import { caseRoutes } from './resources/cases.ts'
import { checkpointRoutes } from './resources/checkpoints.ts'
import { connectionRoutes } from './resources/connections.ts'
import { engineRoutes } from './resources/engine.ts'
import { metricsRoutes } from './resources/metrics.ts'
import { eventRoutes } from './resources/events.ts'
import { healthRoutes } from './resources/health.ts'
import { editorRoutes } from './resources/playbook-editor.ts'
import { keyRoutes } from './resources/keys.ts'
import { destructiveLimitRoutes } from './resources/destructive-limits.ts'
import { lookupRoutes } from './resources/lookups.ts'
import { openApiRoutes } from './resources/openapi.ts'
import { playbookRoutes } from './resources/playbooks.ts'
import { runRoutes } from './resources/runs.ts'
import { sessionRoutes } from './resources/session.ts'
import { skillRoutes } from './resources/skills.ts'
import { webhookRoutes } from './resources/webhooks.ts'
import type { Route } from './route.ts'

/** Every operation of the API. Router, role check, body and query checks and `Allow` are made from this table. */
export const routes: readonly Route[] = [
  ...alertRoutes,
  ...caseRoutes,
  ...runRoutes,
  ...checkpointRoutes,
  ...playbookRoutes,
  ...editorRoutes,
  ...skillRoutes,
  ...lookupRoutes,
  ...destructiveLimitRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...connectionRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...engineRoutes,
  ...eventRoutes,
  ...openApiRoutes,
  ...healthRoutes,
  ...metricsRoutes,
]
