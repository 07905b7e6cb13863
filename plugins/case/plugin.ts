import { definePlugin } from 'tocsin/plugin'
import { comment } from './skills/comment.ts'
import { create } from './skills/create.ts'
import { find } from './skills/find.ts'
import { update } from './skills/update.ts'

export default definePlugin({
  name: 'case',
  title: 'Case',
  description:
    'Works on the cases of the organization: opens them, finds them again, changes them, adds notes. Needs no connection.',
  skills: [create, find, update, comment],
})
