import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { server } from '../examples/machine.ts'
import { limit, number, text, times, truncated, words } from '../lists/filter-fields.ts'
import { permissions } from '../permissions.ts'
import { readList } from '../lists/read-list.ts'
import { decodeMachine, machineSchema } from '../records/machine.ts'

export const listMachines = defineSkill({
  name: 'list_machines',
  title: 'List Endpoint Security Machines',
  description:
    'Lists machines. All filters that are given must hold. Several machines may share a name, old and re-imaged ones: choose ' +
    'one by lastSeen and healthStatus before anything is done to it.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-machines',
  effect: 'read',
  connection,
  input: {
    type: 'object',
    additionalProperties: false,
    properties: {
      computerDnsName: text('Whole name of the machine.'),
      id: text('Id of the machine.'),
      aadDeviceId: text('Id of the device in Microsoft Entra ID.'),
      lastIpAddress: text('Its last internal address.'),
      machineTags: text('A tag of the machine.'),
      osPlatform: text('e.g. Windows11, WindowsServer2022, Linux.'),
      version: text('Of the operating system, e.g. 22H2.'),
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
      rbacGroupId: number('Number of the machine’s group.'),
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
