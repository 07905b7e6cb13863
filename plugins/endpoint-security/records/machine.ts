import { decode } from '../lists/decode.ts'
import { integerOrNull, record, textOrNull, texts, timeOrNull, word, wordOr } from '../lists/shapes.ts'

/** https://learn.microsoft.com/en-us/defender-endpoint/api/machine */
export const machineSchema = record({
  id: { type: 'string' },
  computerDnsName: textOrNull,
  firstSeen: timeOrNull,
  lastSeen: { ...timeOrNull, description: 'The last full report; the portal may show another time.' },
  osPlatform: word('Windows10, Windows11, WindowsServer2022, Linux, macOS'),
  osVersion: textOrNull,
  osBuild: integerOrNull,
  version: textOrNull,
  osProcessor: textOrNull,
  osArchitecture: word('32-bit, 64-bit'),
  lastIpAddress: textOrNull,
  lastExternalIpAddress: textOrNull,
  healthStatus: wordOr(
    'Unknown',
    'Active, Inactive, ImpairedCommunication, NoSensorData, NoSensorDataImpairedCommunication, Unknown',
  ),
  onboardingStatus: word('onboarded, CanBeOnboarded, Unsupported, InsufficientInfo'),
  deviceValue: word('Normal, Low, High'),
  riskScore: word('None, Informational, Low, Medium, High'),
  exposureLevel: word('None, Low, Medium, High'),
  rbacGroupId: integerOrNull,
  rbacGroupName: textOrNull,
  aadDeviceId: textOrNull,
  machineTags: texts,
  ipAddresses: {
    type: 'array',
    items: record({ ipAddress: textOrNull, macAddress: textOrNull, operationalStatus: textOrNull }),
  },
})

export const decodeMachine = (value: unknown) => decode(machineSchema, value, 'machine')
