import { Stack } from '@mantine/core'
import { useState } from 'react'
import { Allowed } from '../../shell/allowed.tsx'
import { ViewTitle } from '../../shell/view/view-title.tsx'
import { newSource } from '../playbook.ts'
import { useDraft } from './use-draft.ts'
import { Workbench } from './workbench.tsx'

export default function NewPlaybook() {
  return (
    <Allowed roles={['admin']} isForAll>
      <Draft />
    </Allowed>
  )
}

function Draft() {
  const { found, keep, handOver } = useDraft(null)
  const [begun, setBegun] = useState(found)
  return (
    <Stack>
      <ViewTitle>New playbook</ViewTitle>
      <Workbench
        key={begun?.text}
        source={newSource}
        begun={begun ?? { hash: null, text: newSource }}
        name={null}
        note={begun && 'Unsaved draft restored'}
        isReadOnly={false}
        onDraft={keep}
        onSaved={({ name }, left) => handOver(name, left)}
        onDropped={() => {
          keep(null)
          setBegun(undefined)
        }}
      />
    </Stack>
  )
}
