import { parsePlaybook } from '../../core/playbook/read/parse.ts'

/** Number of increments per run. */
export const timesPerRun = 10

const { playbook } = parsePlaybook(`apiVersion: tocsin/v1
name: counting
on: { manual: true }
state:
  total: { kind: counter }
  seen: { kind: set }
  moves: { type: integer, default: 0 }
steps:
  - id: first
    state: { add: seen, key: same }
  - id: each
    foreach: \${{ [${Array.from({ length: timesPerRun }, (_, index) => index).join(', ')}] }}
    state: { increment: total }
  - state: { set: moves, value: '\${{ state.moves + 1 }}', expected: '\${{ state.moves }}' }
    repeat: { until: output.ok, every: 1ms, max: 100 }
outputs: { new: '\${{ steps.first.output.new }}' }
`)

/** Counts to ten, adds the same key as every other run, and increments a value. */
export const counting = playbook!
