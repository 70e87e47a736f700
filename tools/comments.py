"""Comments and messages of source text: the text without comments, words, and the share of
pro-forms among the words. A pro-form stands for a name; the reader has to look back for the
name."""
import io
import re
import tokenize

PRO_FORMS = frozenset('it its that this these those what which who whose whom one ones there such '
                      'so'.split())
C_FILES = ('.c', '.h', '.def', '.cu', '.js', '.css')
C_TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
SPACE = (tokenize.NL, tokenize.COMMENT)


def blank(text):
    """Spaces in place of the text; lines stay."""
    return re.sub(r'[^\n]', ' ', text)


def strip(text, literals=True):
    """C text with comments blanked, and literals too unless told otherwise; lines stay."""
    def replace(m):
        return m.group() if m.group()[0] in '"\'' and not literals else blank(m.group())
    return C_TOKEN.sub(replace, text)


def c_comments(text):
    return (m.group() for m in C_TOKEN.finditer(text) if m.group()[0] == '/')


def python_comments(text):
    """Comments and docstrings: strings that are statements."""
    before = tokenize.NEWLINE
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        statement = before in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        if token.type == tokenize.COMMENT or token.type == tokenize.STRING and statement:
            yield token.string
        if token.type not in SPACE:
            before = token.type


def script_comments(text):
    return (m.group() for m in re.finditer(r'(?m)(?:^|(?<=\s))#(?!!).*$', text))


def comments(path, text):
    if path.endswith(C_FILES):
        return c_comments(text)
    if path.endswith('.py') or 'python' in text.split('\n', 1)[0]:
        return python_comments(text)
    return script_comments(text)



def prose(text):
    """Markdown without code and link targets."""
    code = r'^```.*?^```$|(?<=\n\n)(?:    [^\n]*\n)+|\]\([^)]*\)'
    text = re.sub(code, ' ', text, flags=re.S | re.M)
    return re.sub(r'`[^`]*`', ' ', text)


def words(path, text):
    """Words of the comments of a file, or of the prose of a page, and pro-forms among them. IT and
    ITS in capitals are abbreviations."""
    spoken = prose(text) if path.endswith('.md') else ' '.join(comments(path, text))
    found = re.findall(r"[A-Za-z][A-Za-z'-]*", spoken)
    return len(found), sum(word.lower() in PRO_FORMS and not word.isupper() for word in found)


# Between the pieces of a message: blanks, line ends of macros, a macro such as PRIu64.
BETWEEN = re.compile(r'[\s\\]*(?:[A-Z][A-Za-z0-9_]*)?[\s\\]*')
PLACE = re.compile(r'%[-+ 0#]*(?:\*|\d+)?(?:\.(?:\*|\d+))?(?:hh|ll|[hlzj])?[a-zA-Z]|\\[a-z]')


def messages(text):
    """Messages of C text: string literals, adjacent literals joined."""
    text = re.sub(r'(?m)^\s*#\s*include\b.*', '', text)
    end, joined = None, ''
    for m in C_TOKEN.finditer(text):
        if m.group()[0] != '"':
            continue
        if end is None or not BETWEEN.fullmatch(strip(text[end:m.start()])):
            yield joined
            joined = ''
        joined += m.group()[1:-1]
        end = m.end()
    yield joined


def message_words(text):
    """Words of the messages of C text, and pro-forms among the words. A message has at least 4
    words and does not begin like PTX, HTML or SQL."""
    found = []
    for message in messages(text):
        words_of = re.findall(r"[A-Za-z][A-Za-z'-]*", PLACE.sub(' ', message))
        code = re.match(r'\s*[.@{<]|\s*(?:select|insert|update|delete|pragma) ', message)
        if len(words_of) >= 4 and ' ' in message.strip() and not code:
            found += words_of
    return len(found), sum(word.lower() in PRO_FORMS for word in found)
