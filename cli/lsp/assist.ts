import {
  CodeActionKind,
  MarkupKind,
  SymbolKind,
  TextEdit,
  type CodeAction,
  type DocumentSymbol,
  type Range,
  type SignatureHelp,
} from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import type { OutlineItem } from '../../core/editor/assist/outline.ts'
import { quickFixes } from '../../core/editor/assist/quick-fixes.ts'
import { signatureAt } from '../../core/editor/assist/signature.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import { toDiagnostic, toRange } from './convert.ts'

/** Maximum number of problems at one place per request. */
const maxProblems = 10

/** Code actions from the hints of problems in a range. */
export function codeActions(
  document: TextDocument,
  range: Range,
  check: (text: string) => readonly Problem[],
): readonly CodeAction[] {
  const text = document.getText()
  const near = check(text)
    .map((problem) => ({ problem, diagnostic: toDiagnostic(problem) }))
    .filter(({ problem, diagnostic }) => problem.hint !== undefined && overlap(diagnostic.range, range))
  return near.slice(0, maxProblems).flatMap(({ problem, diagnostic }) => {
    const span = {
      start: document.offsetAt(diagnostic.range.start),
      end: document.offsetAt(diagnostic.range.end),
    }
    const fixes = quickFixes(text, problem, span, check)
    return fixes.map((fix) => ({
      title: fix.title,
      kind: CodeActionKind.QuickFix,
      diagnostics: [diagnostic],
      isPreferred: fixes.length === 1,
      edit: { changes: { [document.uri]: [TextEdit.replace(toRange(document, fix.span), fix.text)] } },
    }))
  })
}

function overlap(one: Range, other: Range): boolean {
  const isBefore = (a: Range, b: Range): boolean =>
    a.end.line < b.start.line || (a.end.line === b.start.line && a.end.character < b.start.character)
  return !isBefore(one, other) && !isBefore(other, one)
}

const symbolKinds: Readonly<Record<OutlineItem['kind'], SymbolKind>> = {
  section: SymbolKind.Namespace,
  step: SymbolKind.Function,
  input: SymbolKind.Variable,
  test: SymbolKind.Method,
  mock: SymbolKind.Key,
  skill: SymbolKind.Function,
}

export function toSymbols(document: TextDocument, items: readonly OutlineItem[]): DocumentSymbol[] {
  return items.map(({ name, detail, kind, span, head, children }) => ({
    name,
    detail,
    kind: symbolKinds[kind],
    range: toRange(document, { start: Math.min(span.start, head.start), end: Math.max(span.end, head.end) }),
    selectionRange: toRange(document, head),
    children: toSymbols(document, children),
  }))
}

export function signatureHelp(document: TextDocument, offset: number): SignatureHelp | null {
  const found = signatureAt(document.getText(), offset)
  if (found === undefined) return null
  const signatures = found.docs.map(({ signature, meaning, example }) => ({
    label: signature,
    documentation: { kind: MarkupKind.Markdown, value: `${meaning}\n\nExample: \`${example}\`` },
    parameters: parametersIn(signature).map((label) => ({ label })),
  }))
  const fitting = signatures.findIndex(({ parameters }) => parameters.length > found.argument)
  return { signatures, activeSignature: Math.max(0, fitting), activeParameter: found.argument }
}

/** Overloads such as `text.indexOf(part[, from]) -> int` have two signatures. */
function parametersIn(signature: string): readonly string[] {
  const [, inside = ''] = /\(([^()]*)\)/.exec(signature) ?? []
  return inside
    .split(/[[\],]+/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
}
