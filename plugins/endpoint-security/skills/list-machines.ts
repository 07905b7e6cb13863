import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { server } from '../examples/machine.ts'
import { limit, numberFilter, textFilter, times, truncated, words } from '../lists/filter-fields.ts'
import { permissions } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import { decodeMachine, machineSchema } from '../records/machine.ts'

export const listMachines = defineSkill({
  name: 'list_machines',
  title: 'List Endpoint Security Machines',
  description:
    'Lists machines. All given filters must match. Several machines may share a name, old and re-imaged ones: choose ' +
    'one by lastSeen and healthStatus before you act on it.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-machines',
  permissions: [permissions.list_machines[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      computerDnsName: textFilter('Whole name of the machine.'),
      id: textFilter('Id of the machine.'),
      aadDeviceId: textFilter('Id of the device in Microsoft Entra ID.'),
      lastIpAddress: textFilter('Its last internal address.'),
      machineTags: textFilter('A tag of the machine.'),
      osPlatform: textFilter('e.g. Windows11, WindowsServer2022, Linux.'),
      version: textFilter('Of the operating system, e.g. 22H2.'),
      healthStatus: words(
        'Active',
        'Inactive',
        'ImpairedCommunication',
        'NoSensorData',
        'NoSensorDataImpairedCommunication',
        'Unknown',
      ),
      onboardingStatus: words('onboarded', 'CanBeOnboarded', 'Unsupported', 'InsufficientInfo'),
      riskScore: words('None', 'Informational', 'Low', 'Medium', 'High'),
      exposureLevel: words('None', 'Low', 'Medium', 'High'),
      deviceValue: words('Normal', 'Low', 'High'),
      rbacGroupId: numberFilter('Number of the machine’s group.'),
      lastSeen: times('When the machine last reported in full.'),
      limit,
    },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['machines', 'truncated', 'unreadable'],
    properties: { machines: { type: 'array', items: machineSchema }, truncated, ...leftOutProperties },
  },
  implements: {
    find_machine: {
      input: ({ kind, value }) => (kind === 'ip' ? { lastIpAddress: value } : { computerDnsName: value }),
      output: ({ machines }) => ({
        machines: machines.map((machine) => ({
          id: machine.id,
          name: machine.computerDnsName,
          os: machine.osPlatform,
          last_seen: machine.lastSeen,
        })),
      }),
    },
  },
  examples: [
    {
      title: 'No machine has that name',
      input: { computerDnsName: 'nobody.example.com' },
      output: { machines: [], truncated: false, unreadable: 0 },
    },
    {
      title: 'The one machine that has an address',
      input: { lastIpAddress: '10.20.1.11', healthStatus: ['Active'] },
      output: { machines: [server], truncated: false, unreadable: 0 },
    },
  ],
  async run({ limit = 100, ...filter }, { http }) {
    const { items, ...rest } = await readList(http, {
      path: '/api/machines',
      needs: permissions.list_machines,
      decode: decodeMachine,
      filter,
      limit,
    })
    return { machines: items, ...rest }
  },
})
