/** Reads the source code of an application and its types, through the API of TypeScript's native compiler. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Compiler from 'typescript/unstable/sync'
import type * as Ast from 'typescript/unstable/ast'

export type TypeOf = Compiler.Type
export type SymbolOf = Compiler.Symbol
type AstNode = Ast.Node

/** A syntax node of any kind. A member is `undefined` if the node's kind does not have it. */
export interface AnyNode extends AstNode {
  readonly name?: AnyNode
  readonly text?: string
  readonly expression?: AnyNode
  readonly arguments?: readonly AnyNode[]
  readonly initializer?: AnyNode
  readonly properties?: readonly AnyNode[]
  readonly body?: AnyNode
  readonly parameters?: readonly AnyNode[]
  readonly statements?: readonly AnyNode[]
  readonly left?: AnyNode
  readonly right?: AnyNode
  readonly operatorToken?: AnyNode
}

/** A project that is open in the compiler. It has a compiler process, which `close` ends. */
export class TypeProject {
  readonly compiler: typeof Compiler
  readonly checker: Compiler.Checker
  readonly #api: Compiler.API
  readonly #project: Compiler.Project
  /** The source files of the application, without declaration files and installed packages. */
  readonly #files: readonly string[]
  readonly #texts = new Map<string, string>()

  constructor(compiler: typeof Compiler, api: Compiler.API, project: Compiler.Project) {
    this.compiler = compiler
    this.#api = api
    this.#project = project
    this.checker = project.checker
    this.#files = project.program
      .getSourceFileNames()
      .filter((file) => !file.includes('/node_modules/') && !/\.d\.[cm]?ts$/.test(file))
  }

  close(): void {
    this.#api.close()
  }

  /** Returns the syntax node of a symbol's declaration; `undefined` if a package declares the symbol. */
  declarationOf(symbol: SymbolOf): AnyNode | undefined {
    const handle = symbol.valueDeclaration
    if (handle === undefined || handle.path.includes('/node_modules/')) return undefined
    return handle.resolve(this.#project)
  }

  /** Returns the result type of a function's first signature; `undefined` if the type is not a function. */
  returnType(type: TypeOf | undefined): TypeOf | undefined {
    const [signature] =
      type === undefined
        ? []
        : this.checker.getSignaturesOfType(type, this.compiler.SignatureKind.Call)
    return signature && this.checker.getReturnTypeOfSignature(signature)
  }

  /** Returns the instance type of the class with this name and these methods; `undefined` unless exactly one class matches. */
  findClass(name: string, methods: readonly string[]): TypeOf | undefined {
    const types = this.#findNodes(
      name,
      (node) => node.name?.text === name && isClass(node),
    ).flatMap((node) => {
      const symbol = this.checker.getSymbolAtLocation(node.name!)
      return symbol === undefined ? [] : [this.checker.getDeclaredTypeOfSymbol(symbol)]
    })
    const fitting = types.filter((type) =>
      methods.every((method) => this.checker.getPropertyOfType(type, method) !== undefined),
    )
    return fitting.length === 1 ? fitting[0] : undefined
  }

  /** Returns the function in a call `r.get('/pattern', function)`; `undefined` unless exactly one call matches. */
  findInlineAction(method: string, pattern: string): AnyNode | undefined {
    const found = this.#findNodes(
      pattern,
      (node) =>
        node.expression?.name?.text === method &&
        node.arguments?.[0]?.text === pattern &&
        node.arguments.at(-1)?.body !== undefined,
    )
    return found.length === 1 ? found[0]!.arguments!.at(-1) : undefined
  }

  #findNodes(mentioned: string, accepts: (node: AnyNode) => boolean): readonly AnyNode[] {
    const found: AnyNode[] = []
    const visit = (node: AstNode): void => {
      if (accepts(node)) found.push(node)
      node.forEachChild(visit)
    }
    for (const file of this.#files) {
      if (!this.#readText(file).includes(mentioned)) continue
      const source = this.#project.program.getSourceFile(file)
      if (source !== undefined) visit(source)
    }
    return found
  }

  #readText(file: string): string {
    const text = this.#texts.get(file) ?? readFileSync(file, 'utf8')
    this.#texts.set(file, text)
    return text
  }
}

const isClass = (node: AnyNode): boolean => 'heritageClauses' in node && 'members' in node

/**
 * Opens the `tsconfig.json` in `root` with the compiler that is installed there. If the compiler lacks the API, adds a note
 * and returns `undefined`. The API is not stable yet, so only the types of actions in the document depend on it.
 */
export async function openTypeProject(
  root: string,
  notes: string[],
): Promise<TypeProject | undefined> {
  const config = join(root, 'tsconfig.json')
  if (!existsSync(config)) return undefined
  let api: Compiler.API | undefined
  try {
    const entry = createRequire(config).resolve('typescript/unstable/sync')
    const compiler = (await import(pathToFileURL(entry).href)) as typeof Compiler
    api = new compiler.API({ cwd: root })
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config)
    if (project !== undefined) return new TypeProject(compiler, api, project)
  } catch (error) {
    notes.push(
      `The types of actions are missing, because TypeScript cannot open ${config}: ${(error as Error).message}`,
    )
  }
  api?.close()
  return undefined
}
