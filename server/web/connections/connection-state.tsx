import { StateBadge, type StateColor } from '../parts/states/states.tsx'
import type { Connection } from './connection.ts'

export function ConnectionState({ connection }: { readonly connection: Connection }) {
  const [text, color] = lookOf(connection)
  return <StateBadge text={text} color={color} />
}

function lookOf({ enabled, broken, warnings }: Connection): readonly [string, StateColor] {
  if (broken !== null) return ['Broken', 'red']
  if (!enabled) return ['Off', 'gray']
  return warnings.length > 0 ? ['Warning', 'orange'] : ['On', 'green']
}
