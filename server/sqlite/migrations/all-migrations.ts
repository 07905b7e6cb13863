import { accessTables } from '../schema/access.ts'
import { alertsTables } from '../schema/alerts.ts'
import { runsTables } from '../schema/runs.ts'
import { casesTables } from '../schema/cases.ts'
import { checkpointsTables } from '../schema/checkpoints.ts'
import { connectionsTables } from '../schema/connections.ts'
import { playbooksTables } from '../schema/playbooks.ts'
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
 * In order: the first leads from version 0 to 1. A released migration is never changed. Later ones get a file of their own in
 * this folder, named for their number and purpose.
 */
export const migrations: readonly string[] = [initial]
