import { definePlugin } from 'tocsin/plugin'
import { extract } from './skills/extract.ts'

export default definePlugin({
  name: 'indicators',
  title: 'Indicators',
  description: 'Finds observables in alerts and texts. Needs no connection and reaches no other system.',
  skills: [extract],
})
