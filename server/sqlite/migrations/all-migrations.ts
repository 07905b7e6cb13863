import { initial } from './0001-initial.ts'
import { alertRequests } from './0002-alert-requests.ts'
import { listIndexes } from './0003-list-indexes.ts'
import { alertSearch } from './0004-alert-search.ts'
import { playbookOwners } from './0005-playbook-owners.ts'
import { waitingRuns } from './0006-waiting-runs.ts'
import { inbound } from './0007-inbound.ts'
import { lazyAlertSearch } from './0008-lazy-alert-search.ts'
import { takeUps } from './0009-take-ups.ts'
import { reruns } from './0010-reruns.ts'
import { turnsOfRuns } from './0011-turns-of-runs.ts'
import { suspectRuns } from './0012-suspect-runs.ts'
import { audit } from './0013-audit.ts'
import { runsAlone } from './0014-runs-alone.ts'
import { sessions } from './0015-sessions.ts'
import { caseEdits } from './0016-case-edits.ts'
import { revisionsAndRequests } from './0017-revisions-and-requests.ts'
import { alertGroups } from './0018-alert-groups.ts'
import { destructiveUses } from './0019-destructive-uses.ts'
import { groupsOfRepeats } from './0020-groups-of-repeats.ts'
import { contentPreviews } from './0021-content-previews.ts'
import { listFilters } from './0022-list-filters.ts'
import { listsOfCheckpoints } from './0023-lists-of-checkpoints.ts'
import { retention } from './0024-retention.ts'
import { kindsOfCheckpoints } from './0025-kinds-of-checkpoints.ts'
import { resultsOfPlaybooks } from './0026-results-of-playbooks.ts'
import { authorsOfEntries } from './0027-authors-of-entries.ts'
import { versionsInForce } from './0028-versions-in-force.ts'
import { moreListIndexes } from './0029-more-list-indexes.ts'
import { recalledAnswers } from './0030-recalled-answers.ts'
import { unknownSteps } from './0031-unknown-steps.ts'
import { lossesOfCases } from './0032-losses-of-cases.ts'
import { linesOfRuns } from './0033-lines-of-runs.ts'
import { authors } from './0034-authors.ts'
import { failuresOfConnections } from './0035-failures-of-connections.ts'
import { sensitiveValues } from './0036-sensitive-values.ts'
import { choicesOfRuns } from './0037-choices-of-runs.ts'
import { auditExports } from './0038-audit-exports.ts'
import { destructiveClasses } from './0039-destructive-classes.ts'
import { removedPlaybooks } from './0040-removed-playbooks.ts'
import { journalCopies } from './0041-journal-copies.ts'
import { actionsOfCases } from './0042-actions-of-cases.ts'

/** In order: the first leads from version 0 to 1. A migration that has been released is never changed. */
export const migrations: readonly string[] = [
  initial,
  alertRequests,
  listIndexes,
  alertSearch,
  playbookOwners,
  waitingRuns,
  inbound,
  lazyAlertSearch,
  takeUps,
  reruns,
  turnsOfRuns,
  suspectRuns,
  audit,
  runsAlone,
  sessions,
  caseEdits,
  revisionsAndRequests,
  alertGroups,
  destructiveUses,
  groupsOfRepeats,
  contentPreviews,
  listFilters,
  listsOfCheckpoints,
  retention,
  kindsOfCheckpoints,
  resultsOfPlaybooks,
  authorsOfEntries,
  versionsInForce,
  moreListIndexes,
  recalledAnswers,
  unknownSteps,
  lossesOfCases,
  linesOfRuns,
  authors,
  failuresOfConnections,
  sensitiveValues,
  choicesOfRuns,
  auditExports,
  destructiveClasses,
  removedPlaybooks,
  journalCopies,
  actionsOfCases,
]
