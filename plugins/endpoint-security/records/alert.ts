import type { Infer } from 'tocsin/plugin'
import { decodeRecord } from '../lists/decode.ts'
import {
  integerOrNull,
  recordSchema,
  nullableText,
  texts,
  nullableTime,
  word,
  wordOr,
} from '../lists/shapes.ts'

/** One piece of evidence of an alert: most of its fields are null. */
const evidence = recordSchema({
  entityType: word('User, Process, File, Ip, Url, RegistryKey'),
  evidenceCreationTime: nullableTime,
  sha1: nullableText,
  sha256: nullableText,
  fileName: nullableText,
  filePath: nullableText,
  processId: integerOrNull,
  processCommandLine: nullableText,
  processCreationTime: nullableTime,
  parentProcessId: integerOrNull,
  parentProcessCreationTime: nullableTime,
  parentProcessFileName: nullableText,
  parentProcessFilePath: nullableText,
  ipAddress: nullableText,
  url: nullableText,
  registryKey: nullableText,
  registryHive: nullableText,
  registryValueType: nullableText,
  registryValue: nullableText,
  accountName: nullableText,
  domainName: nullableText,
  userSid: nullableText,
  aadUserId: nullableText,
  userPrincipalName: nullableText,
  detectionStatus: word('Detected, Blocked, Prevented'),
})

/** https://learn.microsoft.com/en-us/defender-endpoint/api/alerts */
export const alertSchema = recordSchema({
  id: { type: 'string' },
  title: { type: 'string', default: '' },
  description: nullableText,
  severity: wordOr('UnSpecified', 'UnSpecified, Informational, Low, Medium, High'),
  status: wordOr('Unknown', 'Unknown, New, InProgress, Resolved'),
  category: nullableText,
  classification: word('Unknown, FalsePositive, TruePositive'),
  determination: nullableText,
  incidentId: integerOrNull,
  investigationId: nullableText,
  investigationState: word(
    'Unknown, Queued, Running, PendingApproval, SuccessfullyRemediated, Failed, Benign',
  ),
  assignedTo: nullableText,
  detectionSource: nullableText,
  detectorId: nullableText,
  threatFamilyName: nullableText,
  threatName: nullableText,
  mitreTechniques: texts,
  machineId: nullableText,
  computerDnsName: nullableText,
  rbacGroupName: nullableText,
  aadTenantId: nullableText,
  alertCreationTime: nullableTime,
  firstEventTime: nullableTime,
  lastEventTime: nullableTime,
  lastUpdateTime: nullableTime,
  resolvedTime: nullableTime,
  relatedUser: {
    ...recordSchema({ userName: nullableText, domainName: nullableText }),
    type: ['object', 'null'],
  },
  loggedOnUsers: {
    type: 'array',
    items: recordSchema({ accountName: nullableText, domainName: nullableText }),
  },
  comments: {
    type: 'array',
    items: recordSchema({ comment: nullableText, createdBy: nullableText, createdTime: nullableTime }),
  },
  evidence: { type: 'array', items: evidence },
})

/** Older recordings have the string `null` for an unknown category. */
export function decodeAlert(value: unknown): Infer<typeof alertSchema> {
  const alert = decodeRecord(alertSchema, value, 'alert')
  return alert.category === 'null' ? { ...alert, category: null } : alert
}
