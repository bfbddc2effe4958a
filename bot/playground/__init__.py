"""A Slack of our own, as strict as Slack: the Web API, Socket Mode, the people, and a page in the browser.

What there is
    workspace   teams, people, channels, messages, files and views: plain data
    seed        the workspace one starts with
    saving      the whole of it as JSON, and back
    keeping     a row in a small file for each thing in it, so that a kill loses nothing
    clock       the time, which can be let pass at once
    core        all this together, and who waits for a change

What the app may call
    api         the door of the Web API; `methods` and `refusal` are what a method is and how it says no
    chat, conversations, directory, modals, sessions, streams
                the methods themselves, by their families
    content     what a message shows, checked by `blocks`, `elements` and `composition` against Slack's rules
    shapes      people, channels, messages and views as the app gets them
    responses   the addresses that come with a click

What the app is told
    socket      Socket Mode: envelopes, acknowledgements and what happens without them
    events      what is said about messages, Home and Stop
    interactions
                what is said about clicks and modals
    http_delivery
                the same over HTTP: signed, and again if nobody took it
    installs    other workspaces that install the app by OAuth, and remove it

What people do
    people      write, fill in, click, submit, stop
    forms       what they have filled in; `looking` finds it by its words, and `typed` reads what they wrote
    control     all of them and all that shall go wrong, in the hands of a test
    faults, rates, record
                calls that fail, calls that are too many, and what went to and fro

What is seen in the browser
    server      the HTTP server, with `doors` that let no page from elsewhere in
    browser     the page's files, and a socket for each `tab`
    mirror      everything that one person sees, as a table; `drawn` keeps what did not change
    asking, answers, acts, drawer
                what the page asks for: how it is read, and how it is done

Who answers where there is no model
    scripted_model
                speaks like an OpenAI-compatible server, and tells the `stories`
"""
