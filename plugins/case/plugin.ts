import { definePlugin } from 'tocsin/plugin'
import { comment } from './skills/comment.ts'
import { create } from './skills/create.ts'
import { update } from './skills/update.ts'

export default definePlugin({
  name: 'case',
  title: 'Case',
  description:
    'Writes to the cases of the organization: opens them, changes them, adds notes. Needs no connection.',
  skills: [create, update, comment],
})
