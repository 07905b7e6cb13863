import { workstation } from './machine.ts'

/**
 * Actions of the sandbox right after they were queued. Each is the first one, queued by a step of the plugin
 * test.
 */
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

/** An action that exists when the sandbox starts. */
export const recordedAction = {
  id: '2e9da30d-27f6-4208-81f2-9cd3d67893ba',
  type: 'RunAntiVirusScan',
  scope: 'Full',
  requestor: 'Analyst@contoso.com',
  requestorComment: 'Check machine for viruses due to alert 3212',
  status: 'Succeeded',
  machineId: 'f46b9bb259ed4a7fb9981b73510e3cc7aa81ec1f',
  computerDnsName: 'desktop-39g9tgl',
  creationDateTimeUtc: '2018-12-04T12:18:27.1293487Z',
  lastUpdateDateTimeUtc: '2018-12-04T12:18:57.5511934Z',
  lastUpdateTimeUtc: '2018-12-04T12:18:57.5511934Z',
  relatedFileInfo: null,
  commands: [],
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
