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

/** https://learn.microsoft.com/en-us/defender-endpoint/api/machine */
export const machineSchema = recordSchema({
  id: { type: 'string' },
  computerDnsName: nullableText,
  firstSeen: nullableTime,
  lastSeen: { ...nullableTime, description: 'The last full report; the portal may show another time.' },
  osPlatform: word('Windows10, Windows11, WindowsServer2022, Linux, macOS'),
  osVersion: nullableText,
  osBuild: integerOrNull,
  version: nullableText,
  osProcessor: nullableText,
  osArchitecture: word('32-bit, 64-bit'),
  lastIpAddress: nullableText,
  lastExternalIpAddress: nullableText,
  healthStatus: wordOr(
    'Unknown',
    'Active, Inactive, ImpairedCommunication, NoSensorData, NoSensorDataImpairedCommunication, Unknown',
  ),
  onboardingStatus: word('onboarded, CanBeOnboarded, Unsupported, InsufficientInfo'),
  deviceValue: word('Normal, Low, High'),
  riskScore: word('None, Informational, Low, Medium, High'),
  exposureLevel: word('None, Low, Medium, High'),
  rbacGroupId: integerOrNull,
  rbacGroupName: nullableText,
  aadDeviceId: nullableText,
  machineTags: texts,
  ipAddresses: {
    type: 'array',
    items: recordSchema({
      ipAddress: nullableText,
      macAddress: nullableText,
      operationalStatus: nullableText,
    }),
  },
})

export const decodeMachine = (value: unknown) => decodeRecord(machineSchema, value, 'machine')
