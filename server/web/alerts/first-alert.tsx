import { Anchor, Button, Code, Select, Stack, Text, Timeline } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { Link } from 'wouter'
import { addressOf, call } from '../api/call.ts'
import { useOrganization } from '../forms/use-organization.ts'
import { Command } from '../parts/command.tsx'
import { Refusal } from '../parts/states/refusal.tsx'
import { useMay, useSession } from '../session/session.ts'
import { ViewHead } from '../shell/view/view-head.tsx'
import { firstAlertCommand } from './first-alert-command.ts'

/** What to do while there is no alert yet: make a key, send an alert with it, look at what came of it. */
export function FirstAlert() {
  const mayMakeKey = useMay('admin')
  const { organization_codes: ownCodes } = useSession()
  const { code: organization, field: choice } = useOrganization(useState<string | null>(null))
  const make = useMutation({
    mutationFn: () =>
      call<{ readonly key: string }>('POST', '/keys', {
        body: { name: 'first alert', role: 'intake', organization_codes: ownCodes },
      }),
  })
  const key = make.data?.key
  const address = new URL(addressOf('/alerts'), location.href).href
  return (
    <Stack gap="var(--tocsin-gap)" maw={860}>
      <ViewHead
        title="Alerts"
        about="No alert has come in yet. Three steps lead to the first, and to what is done about it."
      />
      <Timeline active={key === undefined ? 0 : 1} bulletSize={28} lineWidth={2}>
        <Step number={1} title="Make a key for what posts alerts">
          <Text size="sm">
            Keys of the role <Code>intake</Code> can post alerts and nothing else.
          </Text>
          {!mayMakeKey && <Text size="sm">An administrator makes keys; yours cannot.</Text>}
          {mayMakeKey && key === undefined && (
            <Button size="xs" loading={make.isPending} onClick={() => make.mutate()}>
              Make a key
            </Button>
          )}
          {make.isError && <Refusal error={make.error} />}
          {key !== undefined && (
            <>
              <Text size="sm">
                This is the key. It is shown now and never again; the command below has it.
              </Text>
              <Command text={key} label="The key" />
            </>
          )}
        </Step>
        <Step number={2} title="Send an alert">
          <Text size="sm">
            {choice.data.length > 1 && 'Choose whose it is. '}Paste this into a terminal.{' '}
            {key === undefined && (
              <>
                <Code>TOCSIN_KEY</Code> has to hold a key.
              </>
            )}
          </Text>
          {(choice.data.length > 1 || choice.error !== undefined) && <Select size="xs" {...choice} />}
          {organization !== undefined && (
            <Command text={firstAlertCommand({ address, key, organization })} label="The command" />
          )}
        </Step>
        <Step number={3} title="Look at what came of it">
          <Text size="sm">
            The alert appears here by itself. Its <Code>alert_type</Code> decides which{' '}
            <Anchor component={Link} underline="always" href="/playbooks" size="sm">
              playbook
            </Anchor>{' '}
            investigates it; where there is none for it, one is made. What was found stands in its{' '}
            <Anchor component={Link} underline="always" href="/cases" size="sm">
              case
            </Anchor>
            .
          </Text>
        </Step>
      </Timeline>
    </Stack>
  )
}

interface StepProps {
  readonly number: number
  readonly title: string
  readonly children: ReactNode
}

function Step({ number, title, children }: StepProps) {
  return (
    <Timeline.Item
      bullet={
        <Text span size="sm" fw={600}>
          {number}
        </Text>
      }
      title={title}
    >
      <Stack gap="xs" align="flex-start" mt={4}>
        {children}
      </Stack>
    </Timeline.Item>
  )
}
