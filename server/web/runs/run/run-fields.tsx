import { showInvisible } from '../../parts/json/show-invisible.ts'
import { whoText } from '../../parts/who-text.ts'
import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import type { Run } from '../../api/types.ts'
import { durationText } from '../../parts/time/duration-text.ts'
import { Fields } from '../../parts/fields.tsx'
import { Time } from '../../parts/time/times.tsx'

/** What a run is about, and when it was. */
export function RunFields({ run }: { readonly run: Run }) {
  const {
    alert_id: alert,
    case_id: found,
    started_at: from,
    ended_at: to,
    retry_of: before,
    retried_by: after,
  } = run
  return (
    <Fields
      entries={[
        ['Organization', run.organization_code],
        ['Alert', alert !== null && <To href={`/alerts/${alert}`} text={alert.toUpperCase()} />],
        ['Case', found !== null && <To href={`/cases/${found}`} text={found.toUpperCase()} />],
        ['Started', from !== null && <Time at={from} />],
        ['Duration', from !== null && to !== null && durationText(to - from)],
        [
          'Version',
          <To key="hash" href={`/playbooks/${run.playbook_hash}`} text={run.playbook_hash.slice(0, 12)} />,
        ],
        ['Retry of', before !== null && <To href={`/runs/${before}`} text="previous run" />],
        ['Retried by', after !== null && <To href={`/runs/${after}`} text="new run" />],
        ['Cancelled by', run.cancellation && showInvisible(whoText(run.cancellation.actor))],
        ['Steps deleted', run.pruned_at !== null && <Time at={run.pruned_at} />],
      ]}
    />
  )
}

function To({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <Anchor component={Link} href={href} size="sm">
      {text}
    </Anchor>
  )
}
