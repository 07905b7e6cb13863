import { defineSkill } from 'tocsin/plugin'
import { connection, requireBot } from '../connection.ts'
import { channelSchema, readMembers } from '../conversations.ts'

export const listTeamMembers = defineSkill({
  name: 'list_members',
  title: 'List Members',
  description: 'The members of a team, with their e-mail addresses and their object IDs in Entra ID.',
  docs: 'https://learn.microsoft.com/en-us/microsoftteams/platform/bots/how-to/get-teams-context',
  permissions: ['the app of the bot in the team'],
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['team_id'],
    additionalProperties: false,
    properties: {
      team_id: { ...channelSchema, description: 'The ID of the team, such as 19:…@thread.tacv2.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: 10_000,
        default: 1_000,
        description: 'The most members.',
      },
    },
  },
  output: {
    type: 'object',
    required: ['members', 'complete'],
    additionalProperties: false,
    properties: {
      members: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id'],
          additionalProperties: false,
          properties: {
            id: { type: 'string', description: 'Of the person for this bot.' },
            object_id: { type: 'string', description: 'In Entra ID.' },
            name: { type: 'string' },
            email: { type: 'string' },
            user_principal_name: { type: 'string' },
          },
        },
      },
      complete: { type: 'boolean', description: 'false: there are more members.' },
    },
  },
  examples: [
    {
      title: 'A team of two',
      synthetic: true,
      input: { team_id: '19:soc@thread.tacv2' },
      output: {
        members: [
          {
            id: '29:kim',
            object_id: '0a9c1f6e-3d52-4b7a-9c1e-6f2d8b4a7c10',
            name: 'Kim',
            email: 'Kim@example.com',
            user_principal_name: 'kim@example.com',
          },
          { id: '29:guest', name: 'Guest' },
        ],
        complete: true,
      },
    },
  ],
  async run({ team_id, limit = 1_000 }, { http, settings }) {
    requireBot(settings)
    const { items, complete } = await readMembers(http, team_id, limit)
    return { members: items, complete }
  },
})
