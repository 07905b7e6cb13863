import type { Interrupted } from '../../core/engine/skills/skill-caller.ts'
import { makePlaybook } from '../engine/support/make-playbook.ts'

/** The repeat class of each skill. */
export const policies: Readonly<Record<string, Interrupted>> = {
  look: 'repeat',
  isolate: 'verify',
  scan: 'ask',
}

/**
 * Skills of every class, in sequence, in parallel, and in a loop. Nobody decides about an interrupted scan,
 * so it fails.
 */
export const playbook = makePlaybook({
  steps: [
    { id: 'first', uses: 'look' },
    { id: 'noted', set: { ok: '${{ steps.first.output.done }}', case: '${{ case.id }}' } },
    { id: 'scanned', uses: 'scan', onInterrupted: 'fail', onError: 'continue' },
    {
      id: 'both',
      parallel: [
        { id: 'isolated', uses: 'isolate' },
        { id: 'seen', uses: 'look' },
      ],
    },
    {
      id: 'each',
      foreach: [1, 2],
      steps: [{ uses: 'isolate' }, { uses: 'scan', onInterrupted: 'fail', onError: 'continue' }],
    },
  ],
  finally: [{ id: 'told', uses: 'look' }],
})
