import { Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { encode } from 'uqr'
import { apiCall } from '../api/call.ts'
import type { ApiMe } from '../api/types.ts'
import { handleSubmit } from '../forms/form-state.ts'
import { ConfirmButton } from '../parts/feedback.tsx'
import { Section } from '../parts/layout.tsx'
import { Command } from '../parts/text-view.tsx'
import { ChangeError } from './change-error.tsx'

type Ways = NonNullable<ApiMe['sign_in']>

interface Offer {
  readonly secret: string
  readonly uri: string
}

interface Codes {
  readonly recovery_codes: readonly string[]
}

/** Sets up and removes one-time codes. */
export function OneTimeCodes({ ways }: { readonly ways: Ways }) {
  const queries = useQueryClient()
  const [codes, setCodes] = useState<readonly string[]>()
  const refresh = () => queries.invalidateQueries({ queryKey: ['me'] })
  const offer = useMutation({ mutationFn: () => apiCall<Offer>('POST', '/me/totp') })
  const renew = useMutation({
    mutationFn: () => apiCall<Codes>('POST', '/me/recovery-codes'),
    onSuccess(made) {
      setCodes(made.recovery_codes)
      return refresh()
    },
  })
  const remove = useMutation({
    mutationFn: () => apiCall<ApiMe>('DELETE', '/me/totp'),
    onSuccess(me) {
      setCodes(undefined)
      offer.reset()
      queries.setQueryData(['me'], me)
    },
  })
  const error = offer.error ?? renew.error
  return (
    <Section title="One-time codes">
      <Stack maw={440}>
        <Text size="sm">
          {ways.has_totp
            ? `A sign-in with the password needs a code. ${ways.recovery_codes} recovery codes are left.`
            : 'Protect your password with codes of an authenticator app.'}
        </Text>
        {error !== null && <ChangeError error={error} />}
        {codes !== undefined && <RecoveryCodes codes={codes} />}
        {!ways.has_totp && offer.data !== undefined && (
          <Confirm
            offer={offer.data}
            onDone={(made) => {
              setCodes(made)
              void refresh()
            }}
          />
        )}
        <Group>
          {!ways.has_totp && offer.data === undefined && (
            <Button size="xs" loading={offer.isPending} onClick={() => offer.mutate()}>
              Set up one-time codes
            </Button>
          )}
          {ways.has_totp && (
            <>
              <Button size="xs" variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
                New recovery codes
              </Button>
              <ConfirmButton text="Remove" title="Remove one-time codes" action="Remove" mutation={remove}>
                <Text size="sm">Your password alone is then enough to sign in.</Text>
              </ConfirmButton>
            </>
          )}
        </Group>
      </Stack>
    </Section>
  )
}

function Confirm({
  offer,
  onDone,
}: {
  readonly offer: Offer
  readonly onDone: (codes: readonly string[]) => void
}) {
  const [code, setCode] = useState('')
  const confirm = useMutation({
    mutationFn: () => apiCall<Codes>('POST', '/me/totp/confirm', { body: { code } }),
    onSuccess: (made) => onDone(made.recovery_codes),
  })
  return (
    <form onSubmit={handleSubmit(() => confirm.mutate())}>
      <Stack>
        <Text size="sm">Scan the QR code with your authenticator app, or type the secret:</Text>
        <QrCode text={offer.uri} />
        <Code style={{ overflowWrap: 'anywhere' }}>{offer.secret}</Code>
        <TextInput
          label="Code"
          description="The code that the app shows now."
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          autoComplete="one-time-code"
          inputMode="numeric"
          required
        />
        {confirm.isError && <ChangeError error={confirm.error} />}
        <Group>
          <Button type="submit" size="xs" loading={confirm.isPending} disabled={code.trim() === ''}>
            Confirm
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

const RecoveryCodes = ({ codes }: { readonly codes: readonly string[] }) => (
  <Stack gap={4}>
    <Text size="sm">
      Keep these recovery codes in a safe place: they are not shown again. Each one replaces a code once.
    </Text>
    <Command text={codes.join('\n')} label="Recovery codes" />
  </Stack>
)

/** Dark on light in both themes, as cameras expect. */
function QrCode({ text }: { readonly text: string }) {
  const { data, size } = useMemo(() => encode(text, { border: 2 }), [text])
  const path = data
    .flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
    .join('')
  return (
    <svg role="img" aria-label="QR code" viewBox={`0 0 ${size} ${size}`} width={200} height={200}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
