"""A lexer of the frp language for Pygments: `pygmentize -x -l frp_lexer.py:FrpLexer program.frp`."""

from pygments.lexer import RegexLexer, bygroups, include
from pygments.token import (
    Comment, Error, Keyword, Name, Number, Operator, Punctuation, String, Whitespace)

__all__ = ["FrpLexer"]

LOWER = r"[^\W\dA-Z][\w]*"


class FrpLexer(RegexLexer):
    """Programs of behaviors and events. What no token begins with is an Error."""

    name = "frp"
    aliases = ["frp"]
    filenames = ["*.frp"]
    mimetypes = ["text/x-frp"]

    tokens = {
        "root": [
            (r"\A#!.*$", Comment.Hashbang),
            include("code"),
            (r"[{}]", Punctuation),
        ],
        "code": [
            (r"(^[ \t]*|(?<=;)[ \t]*)(input|output|type|alias|import|test)\b(?!\s*:)", bygroups(Whitespace, Keyword.Declaration)),
            (r"(^[ \t]+|(?<=[{;])[ \t]+)(given|expect)(?=\s)", bygroups(Whitespace, Keyword)),
            (r"\n|[^\S\n]+", Whitespace),
            (r"///.*$", String.Doc),
            (r"//.*$", Comment.Single),
            (r'(#+)"""[ \t]*\n(?:.|\n)*?"""\1', String),
            (r'(#+)"[^\n]*?"\1', String),
            (r'"""', String, "block"),
            (r'"', String, "text"),
            (r"(?<!\.)\b(?:if|then|else|match|as)\b(?!\s*:)", Keyword),
            (r"(?<!\.)\b(?:true|false)\b(?!\s*:)", Keyword.Constant),
            (r"(?<!\.)\b(?:every|with|at|within|from|to)(?=\s+[\w{\"#(])", Keyword),
            (r"\d[\d_]*(?:\.\d[\d_]*)?(?:ns|us|ms|min|s|h)\b", Number),
            (r"0x[0-9A-Fa-f_]+\b", Number.Hex),
            (r"0b[01_]+\b", Number.Bin),
            (r"0o[0-7_]+\b", Number.Oct),
            (r"\d[\d_]*(?:\.\d[\d_]*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)", Number.Float),
            (r"\d[\d_]*", Number.Integer),
            (r"(?<!\.)\b(?:time|start|end|never)\b(?!\s*[:(])", Name.Builtin.Pseudo),
            (r"[A-Z]\w*(?=\.)", Name.Namespace),
            (r"[A-Z]\w*", Name.Class),
            (LOWER + r"(?=\()", Name.Function),
            (LOWER, Name),
            (r"_", Name.Builtin.Pseudo),
            (r"`[^`\n]+`", Name.Attribute),
            (r"\|>|=>|->|\+\+|\|\||&&|==|!=|<=|>=|\.\.\.|\.\.|[-+*/%<>!=|±]", Operator),
            (r"[()\[\],:;.]", Punctuation),
        ],
        "text": [
            (r'"', String, "#pop"),
            (r"\n", Error, "#pop"),
            include("piece"),
        ],
        "block": [
            (r'"""', String, "#pop"),
            (r'"{1,2}', String),
            (r"\n", String),
            include("piece"),
        ],
        "piece": [
            (r"\\(?:u\{[0-9A-Fa-f]{1,8}\}|[^\n]|\n)", String.Escape),
            (r"\{", String.Interpol, "interpolation"),
            (r'[^"\\{\n]+', String),
        ],
        "interpolation": [
            (r"\}", String.Interpol, "#pop"),
            (r"\{", Punctuation, "braces"),
            include("code"),
        ],
        "braces": [
            (r"\}", Punctuation, "#pop"),
            (r"\{", Punctuation, "#push"),
            include("code"),
        ],
    }
