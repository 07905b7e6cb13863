import { caseFiles } from './0002-case-files.ts'
import { secretReferences } from './0003-secret-references.ts'
import { alertFactColumns } from './0004-alert-facts.ts'
import { signIns } from './0005-sign-ins.ts'
import { scheduleTimeZones } from './0006-schedule-time-zones.ts'
import { correlationTables } from './0007-correlation.ts'
import { playbookState } from './0008-playbook-state.ts'
import { questionGroups } from './0009-question-groups.ts'
import { rateLimits } from './0010-rate-limits.ts'
import { triggerTables } from './0011-triggers.ts'
import { eventWaits } from './0012-event-waits.ts'
import { containments } from './0013-containments.ts'
import { containmentChecks } from './0015-containment-checks.ts'
import { containmentExpiry } from './0014-containment-expiry.ts'
import { shadowResults } from './0016-shadow-results.ts'
import { caseWork } from './0020-case-work.ts'
import { accounts } from './0018-accounts.ts'
import { singleSignOn } from './0019-single-sign-on.ts'
import { approvalRules } from './0017-approval-rules.ts'
import { observables } from './0021-observables.ts'
import { numberTables } from './0022-numbers.ts'
import { expiringContainments } from './0023-expiring-containments.ts'
import { keyRevisions } from './0024-key-revisions.ts'
import { accessTables } from '../schema/access.ts'
import { alertsTables } from '../schema/alerts.ts'
import { checkpointsTables, playbooksTables, runsTables } from '../schema/runs.ts'
import { casesTables } from '../schema/cases.ts'
import { connectionsTables } from '../schema/connections.ts'
import { auditTables } from '../schema/audit.ts'

/** The tables of 0.1.0. */
const initial = [
  accessTables,
  alertsTables,
  runsTables,
  casesTables,
  checkpointsTables,
  connectionsTables,
  playbooksTables,
  auditTables,
].join('\n')

/**
 * In order: the first leads from version 0 to 1. Released migrations never change. Each later one has its own file in this folder,
 * named after its number and purpose.
 */
export const migrations: readonly string[] = [
  initial,
  caseFiles,
  secretReferences,
  alertFactColumns,
  signIns,
  scheduleTimeZones,
  correlationTables,
  playbookState,
  questionGroups,
  rateLimits,
  triggerTables,
  eventWaits,
  containments,
  containmentExpiry,
  caseWork,
  accounts,
  shadowResults,
  approvalRules,
  observables,
  containmentChecks,
  singleSignOn,
  numberTables,
  expiringContainments,
  keyRevisions,
]
