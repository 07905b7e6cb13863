import { isObject, objectsAt, textAt, valueAt, type JsonObject } from 'tocsin/plugin'
import type { SandboxReply } from 'tocsin/plugin/testing'
import { invalidBlocks, refusalReply } from '../answer.ts'

/** Checks the vendor's limits; `undefined` if the message can be posted. */
export function messageProblem(message: JsonObject): SandboxReply | undefined {
  const text = valueAt(message, 'text')
  if (typeof text === 'string' && text.length > 40_000) return refusalReply('msg_too_long')
  const blocks = valueAt(message, 'blocks')
  if (blocks !== undefined && !(Array.isArray(blocks) && blocks.every(isObject)))
    return invalidBlocks('no list')
  const list = objectsAt(message, 'blocks')
  if (textAt(message, 'text') === null && list.length === 0) return refusalReply('no_text')
  if (list.length > 50) return invalidBlocks('no more than 50 items allowed [json-pointer:/blocks]')
  const problem = list
    .map((block, index) => checkBlock(block, `/blocks/${index}`))
    .find((one) => one !== undefined)
  return problem === undefined ? undefined : invalidBlocks(problem)
}

function checkBlock(block: JsonObject, pointer: string): string | undefined {
  if ((textAt(block, 'block_id') ?? '').length > 255) return tooLong(255, `${pointer}/block_id`)
  switch (textAt(block, 'type')) {
    case 'section':
      return checkSection(block, pointer)
    case 'context':
      return objectsAt(block, 'elements')
        .map((element, index) => checkText(element, 2_000, `${pointer}/elements/${index}`))
        .find((one) => one !== undefined)
    case 'actions':
      return checkActions(objectsAt(block, 'elements'), `${pointer}/elements`)
    default:
      return `unsupported type [json-pointer:${pointer}/type]`
  }
}

/** It has a text, or up to ten fields, or both. */
function checkSection(block: JsonObject, pointer: string): string | undefined {
  const fields = objectsAt(block, 'fields')
  if (fields.length > 10) return `no more than 10 items allowed [json-pointer:${pointer}/fields]`
  const text = valueAt(block, 'text')
  const ofText =
    text === undefined && fields.length > 0 ? undefined : checkText(text, 3_000, `${pointer}/text`)
  if (ofText !== undefined) return ofText
  return fields
    .map((field, index) => checkText(field, 2_000, `${pointer}/fields/${index}`))
    .find((one) => one !== undefined)
}

function checkActions(buttons: readonly JsonObject[], pointer: string): string | undefined {
  if (buttons.length === 0 || buttons.length > 25) return `1 to 25 items allowed [json-pointer:${pointer}]`
  // Blocks without an id get one.
  const ids = buttons.flatMap((button) => textAt(button, 'action_id') ?? [])
  if (new Set(ids).size < ids.length) return `action_id must be unique [json-pointer:${pointer}]`
  return buttons
    .map((button, index) => checkButton(button, `${pointer}/${index}`))
    .find((one) => one !== undefined)
}

function checkButton(button: JsonObject, pointer: string): string | undefined {
  if (textAt(button, 'type') !== 'button') return `unsupported type [json-pointer:${pointer}/type]`
  if (textAt(valueAt(button, 'text'), 'type') !== 'plain_text')
    return `must be plain_text [json-pointer:${pointer}/text]`
  if ((textAt(button, 'value') ?? '').length > 2_000) return tooLong(2_000, `${pointer}/value`)
  if ((textAt(button, 'action_id') ?? '').length > 255) return tooLong(255, `${pointer}/action_id`)
  if (!['primary', 'danger', null].includes(textAt(button, 'style')))
    return `bad style [json-pointer:${pointer}]`
  return checkText(valueAt(button, 'text'), 75, `${pointer}/text`)
}

function checkText(text: unknown, maxLength: number, pointer: string): string | undefined {
  const given = textAt(text, 'text')
  if (given === null) return `must be more than 0 characters [json-pointer:${pointer}/text]`
  return given.length > maxLength ? tooLong(maxLength, `${pointer}/text`) : undefined
}

const tooLong = (maxLength: number, pointer: string): string =>
  `must be less than ${maxLength + 1} characters [json-pointer:${pointer}]`
