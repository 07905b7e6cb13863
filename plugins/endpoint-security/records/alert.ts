import type { Infer } from 'tocsin/plugin'
import { decode } from '../lists/decode.ts'
import { integerOrNull, record, textOrNull, texts, timeOrNull, word, wordOr } from '../lists/shapes.ts'

/** One thing that an alert is about: most of its fields are null. */
const evidence = record({
  entityType: word('User, Process, File, Ip, Url, RegistryKey'),
  evidenceCreationTime: timeOrNull,
  sha1: textOrNull,
  sha256: textOrNull,
  fileName: textOrNull,
  filePath: textOrNull,
  processId: integerOrNull,
  processCommandLine: textOrNull,
  processCreationTime: timeOrNull,
  parentProcessId: integerOrNull,
  parentProcessCreationTime: timeOrNull,
  parentProcessFileName: textOrNull,
  parentProcessFilePath: textOrNull,
  ipAddress: textOrNull,
  url: textOrNull,
  registryKey: textOrNull,
  registryHive: textOrNull,
  registryValueType: textOrNull,
  registryValue: textOrNull,
  accountName: textOrNull,
  domainName: textOrNull,
  userSid: textOrNull,
  aadUserId: textOrNull,
  userPrincipalName: textOrNull,
  detectionStatus: word('Detected, Blocked, Prevented'),
})

/** https://learn.microsoft.com/en-us/defender-endpoint/api/alerts */
export const alertSchema = record({
  id: { type: 'string' },
  title: { type: 'string', default: '' },
  description: textOrNull,
  severity: wordOr('UnSpecified', 'UnSpecified, Informational, Low, Medium, High'),
  status: wordOr('Unknown', 'Unknown, New, InProgress, Resolved'),
  category: textOrNull,
  classification: word('Unknown, FalsePositive, TruePositive'),
  determination: textOrNull,
  incidentId: integerOrNull,
  investigationId: textOrNull,
  investigationState: word(
    'Unknown, Queued, Running, PendingApproval, SuccessfullyRemediated, Failed, Benign',
  ),
  assignedTo: textOrNull,
  detectionSource: textOrNull,
  detectorId: textOrNull,
  threatFamilyName: textOrNull,
  threatName: textOrNull,
  mitreTechniques: texts,
  machineId: textOrNull,
  computerDnsName: textOrNull,
  rbacGroupName: textOrNull,
  aadTenantId: textOrNull,
  alertCreationTime: timeOrNull,
  firstEventTime: timeOrNull,
  lastEventTime: timeOrNull,
  lastUpdateTime: timeOrNull,
  resolvedTime: timeOrNull,
  relatedUser: {
    ...record({ userName: textOrNull, domainName: textOrNull }),
    type: ['object', 'null'],
  },
  loggedOnUsers: { type: 'array', items: record({ accountName: textOrNull, domainName: textOrNull }) },
  comments: {
    type: 'array',
    items: record({ comment: textOrNull, createdBy: textOrNull, createdTime: timeOrNull }),
  },
  evidence: { type: 'array', items: evidence },
})

/** Older recordings write the text `null` for a category that is not known. */
export function decodeAlert(value: unknown): Infer<typeof alertSchema> {
  const alert = decode(alertSchema, value, 'alert')
  return alert.category === 'null' ? { ...alert, category: null } : alert
}
