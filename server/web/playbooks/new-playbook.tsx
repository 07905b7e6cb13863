import { Stack } from '@mantine/core'
import { Allowed } from '../shell/allowed.tsx'
import { ViewTitle } from '../shell/view-title.tsx'
import { Workbench } from './workbench.tsx'
import { newSource } from './playbook.ts'

export default function NewPlaybook() {
  return (
    <Allowed roles={['admin']} isForAll>
      <Stack>
        <ViewTitle>New playbook</ViewTitle>
        <Workbench source={newSource} hash={null} isReadOnly={false} />
      </Stack>
    </Allowed>
  )
}
