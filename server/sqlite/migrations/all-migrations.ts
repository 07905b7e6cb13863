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
import { containmentExpiry } from './0014-containment-expiry.ts'
import { caseWork } from './0015-case-work.ts'
import { accounts } from './0016-accounts.ts'
import { shadowResults } from './0017-shadow-results.ts'
import { approvalRules } from './0018-approval-rules.ts'
import { observables } from './0019-observables.ts'
import { containmentChecks } from './0020-containment-checks.ts'
import { singleSignOn } from './0021-single-sign-on.ts'
import { numberTables } from './0022-numbers.ts'
import { expiringContainments } from './0023-expiring-containments.ts'
import { keyRevisions } from './0024-key-revisions.ts'
import { turnNumbers } from './0025-turns.ts'
import { playbookDrafts } from './0026-playbook-drafts.ts'
import { keyConsent } from './0027-key-consent.ts'
import { notificationTables } from './0028-notifications.ts'
import { listIndexes } from './0029-list-indexes.ts'
import { playbookOrganizations } from './0030-playbook-organizations.ts'
import { casePeople } from './0031-case-people.ts'
import { playbookFiles } from './0032-playbook-files.ts'
import { assignedPeople } from './0033-assigned-people.ts'
import { nodes } from './0034-nodes.ts'
import { lowerCaseCodes } from './0035-lower-case-codes.ts'
import { nodeReports } from './0036-node-reports.ts'
import { runPrograms } from './0037-run-programs.ts'
import { playbookRemovals } from './0038-playbook-removals.ts'
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

/** Versions 1 to 34 of SQLite. PostgreSQL begins with its own schema of version 34, see `server/postgres/schema`. */
const sqliteOnly: readonly string[] = [
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
  turnNumbers,
  playbookDrafts,
  keyConsent,
  notificationTables,
  listIndexes,
  playbookOrganizations,
  casePeople,
  playbookFiles,
  assignedPeople,
  nodes,
]

/** SQL that both databases understand, or one text for each. In PostgreSQL, TEXT gets the collation by bytes. */
type Migration = string | { readonly sqlite: string; readonly postgres: string }

/**
 * In order: the first leads from version 34 to 35. Released migrations never change. Each has its own file in this folder, named after its
 * number and purpose. With PostgreSQL, older nodes still run while it is applied: it only adds.
 */
const inBoth: readonly Migration[] = [lowerCaseCodes, nodeReports, runPrograms, playbookRemovals]

/**
 * The version of the tables that nodes must know at least to work on a PostgreSQL database of the newest one: that of the release before, whose nodes
 * run and start beside newer ones. A release sets it. A migration that does not only add sets it to its own number, and then all nodes
 * must be stopped for the upgrade.
 */
export const oldestBeside = 37

const forSqlite = (step: Migration): string => (typeof step === 'string' ? step : step.sqlite)
const forPostgres = (step: Migration): string => (typeof step === 'string' ? step : step.postgres)

/** The first leads from version 0 to 1. */
export const migrations: readonly string[] = [...sqliteOnly, ...inBoth.map(forSqlite)]

/** The first leads from version 34 to 35. */
export const postgresMigrations: readonly string[] = inBoth.map(forPostgres)
