import { workstation } from './machine.ts'

/** Actions of the sandbox right after they were queued. Each is the first one there, by a step of the plugin test. */
const first = {
  id: '00000000-0000-4000-8000-000000000001',
  requestor: 'Tocsin sandbox',
  status: 'Pending',
  machineId: workstation.id,
  computerDnsName: workstation.computerDnsName,
  creationDateTimeUtc: '2026-01-12T08:01:00.0000000Z',
  lastUpdateDateTimeUtc: '2026-01-12T08:01:00.0000000Z',
  commands: [],
  title: null,
  relatedFileInfo: null,
}

const mark = '[tocsin:fd82e48dacae7090]'

export const isolation = {
  ...first,
  type: 'Isolate',
  scope: 'Full',
  requestorComment: `Credential dumping tool, case ACME-7 ${mark}`,
}

export const release = {
  ...first,
  type: 'Unisolate',
  scope: null,
  requestorComment: `Cleaned, case ACME-7 ${mark}`,
}

export const scan = {
  ...first,
  type: 'RunAntiVirusScan',
  scope: 'Quick',
  requestorComment: `After a phishing report ${mark}`,
}

export const collection = {
  ...first,
  type: 'CollectInvestigationPackage',
  scope: null,
  requestorComment: `For case ACME-7 ${mark}`,
}

export const liveResponse = {
  ...first,
  type: 'LiveResponse',
  scope: null,
  requestorComment: `Memory of one process ${mark}`,
  commands: [
    {
      index: 0,
      startTime: null,
      endTime: null,
      commandStatus: 'Created',
      errors: [],
      command: {
        type: 'RunScript',
        params: [
          { key: 'ScriptName', value: 'minidump.ps1' },
          { key: 'Args', value: 'OfficeClickToRun' },
        ],
      },
    },
  ],
}
