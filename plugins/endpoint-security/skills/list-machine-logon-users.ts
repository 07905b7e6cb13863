import { defineSkill, leftOutProperties } from 'tocsin/plugin'
import { connection } from '../connection.ts'
import { workstation } from '../examples/machine.ts'
import { machineId, machinePath } from '../lists/ids.ts'
import { permissions } from '../permissions.ts'
import { readAll } from '../lists/read-list.ts'
import { decodeLogonUser, logonUserSchema } from '../records/logon-user.ts'

export const listMachineLogonUsers = defineSkill({
  name: 'list_machine_logon_users',
  title: 'List Endpoint Security Machine Logon Users',
  description:
    'Lists the users who logged on to a machine. Fails with not_found if the machine does not exist.',
  docs: 'https://learn.microsoft.com/en-us/defender-endpoint/api/get-machine-log-on-users',
  permissions: [permissions.list_machine_logon_users[0]],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: machineId },
  },
  output: {
    type: 'object',
    additionalProperties: false,
    required: ['users'],
    properties: {
      users: { type: 'array', items: logonUserSchema },
      truncated: {
        type: 'boolean',
        description: 'True if the vendor returned only some. Absent: the list is complete.',
      },
      ...leftOutProperties,
    },
  },
  examples: [
    {
      title: 'A workstation of one person',
      input: { id: workstation.id },
      output: {
        users: [
          {
            id: 'example\\kim',
            accountName: 'kim',
            accountDomain: 'example',
            firstSeen: '2025-11-03T07:12:44Z',
            lastSeen: '2026-01-12T07:58:02Z',
            logonTypes: 'Interactive',
            isDomainAdmin: false,
            isOnlyNetworkUser: false,
          },
        ],
        unreadable: 0,
      },
    },
  ],
  async run({ id }, { http }) {
    const path = machinePath(id, 'logonusers')
    const { items, ...rest } = await readAll(
      http,
      path,
      permissions.list_machine_logon_users,
      decodeLogonUser,
    )
    return { users: items, ...rest }
  },
})
