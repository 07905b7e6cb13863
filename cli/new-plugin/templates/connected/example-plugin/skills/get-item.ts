import { defineSkill, textAt } from 'tocsin/plugin'
import { connection } from '../connection.ts'

export const getItem = defineSkill({
  name: 'get_item',
  title: 'Get Item',
  description: 'Returns one item by its number.',
  docs: 'https://docs.example.com/items/get', // the page about this operation
  effect: 'read',
  connection,
  input: {
    type: 'object',
    required: ['id'],
    additionalProperties: false,
    properties: { id: { type: 'string', minLength: 1, maxLength: 100 } },
  },
  output: {
    type: 'object',
    required: ['known'],
    properties: { known: { type: 'boolean' }, name: { type: ['string', 'null'] } },
  },
  examples: [{ title: 'An item', input: { id: '7' }, output: { known: true, name: 'Bell' } }],
  async run({ id }, { http }) {
    const answer = await http.get(['items', id], { accept: [404] })
    if (answer.status === 404) return { known: false }
    return { known: true, name: textAt(answer.json(), 'name') }
  },
})
