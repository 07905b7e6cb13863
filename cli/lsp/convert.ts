import {
  CompletionItemKind,
  DiagnosticSeverity,
  MarkupKind,
  TextEdit,
  type CompletionItem,
  type Diagnostic,
  type Range,
} from 'vscode-languageserver'
import type { TextDocument } from 'vscode-languageserver-textdocument'
import type { Completion, Completions } from '../../core/editor/completion/completion.ts'
import type { Problem } from '../../core/playbook/language/problem.ts'
import type { ProblemSeverity } from '../../core/errors/source-frame.ts'

const severities: Readonly<Record<ProblemSeverity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  info: DiagnosticSeverity.Information,
}

/** Positions count from 1 in problems, and from 0 in the protocol; both in UTF-16 units. */
export function toDiagnostic({ code, severity, message, hint, ...place }: Problem): Diagnostic {
  return {
    range: {
      start: { line: place.line - 1, character: place.column - 1 },
      end: { line: place.endLine - 1, character: place.endColumn - 1 },
    },
    severity: severities[severity],
    code,
    source: 'tocsin',
    message: hint === undefined ? message : `${message}\nhint: ${hint}`,
  }
}

export function toRange(document: TextDocument, { start, end }: { start: number; end: number }): Range {
  return { start: document.positionAt(start), end: document.positionAt(end) }
}

const kinds: Readonly<Record<Completion['kind'], CompletionItemKind>> = {
  key: CompletionItemKind.Property,
  skill: CompletionItemKind.Method,
  playbook: CompletionItemKind.Module,
  value: CompletionItemKind.EnumMember,
  field: CompletionItemKind.Field,
  step: CompletionItemKind.Variable,
  name: CompletionItemKind.Variable,
  function: CompletionItemKind.Function,
}

export function toItems(document: TextDocument, { items, replaces }: Completions): CompletionItem[] {
  const range = toRange(document, replaces)
  return items.map(({ label, kind, detail, documentation, insert, rank }) => ({
    label,
    kind: kinds[kind],
    sortText: `${rank ?? 1}${label}`,
    textEdit: TextEdit.replace(range, insert ?? label),
    ...(detail === undefined ? {} : { detail }),
    ...(documentation === undefined
      ? {}
      : { documentation: { kind: MarkupKind.Markdown, value: documentation } }),
  }))
}
